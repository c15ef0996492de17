import { describeClusterContract, SAME_IMAGE } from './describe-cluster-contract.ts';

describeClusterContract('bash', SAME_IMAGE);
