import { describeClusterContract, SAME_RUNNER } from './describe-cluster-contract.ts';

describeClusterContract('bash', SAME_RUNNER);
