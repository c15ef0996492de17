import { describeClusterContract } from './describe-cluster-contract.ts';

describeClusterContract('typescript');
