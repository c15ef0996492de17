import { describeClusterContract, SAME_IMAGE } from './describe-cluster-contract.ts';

describeClusterContract('typescript', SAME_IMAGE);
