import { describeClusterContract } from './describe-cluster-contract.ts';

describeClusterContract('python', {
  except: ['policy', 'budgets', 'sessions'],
  coveredBy: 'bubblewrap: the host alone decides it',
});
