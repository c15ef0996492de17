import { describeClusterContract } from './describe-cluster-contract.ts';

describeClusterContract('bash');
