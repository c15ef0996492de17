import { describeClusterContract, SAME_RUNNER } from './describe-cluster-contract.ts';

describeClusterContract('typescript', SAME_RUNNER);
