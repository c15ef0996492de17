// @ts-check
// The mock expense service and the model of `sandboxed-ptc demo`. Your own program defines its
// tools and its model here; direct-and-code-tools.mjs shows how.
import { chooseModel } from '../../dist/cli/choose-model.js';
import { customBudget, expenseItems, teamMembers } from '../../dist/cli/demo/expense-data.js';
import { SCRIPTED_QUESTIONS, TEAM_EXPENSE_QUESTION } from '../../dist/cli/demo/questions.js';

export { chooseModel };
export { expenseTools } from '../../dist/cli/demo/expense-tools.js';

export const question = TEAM_EXPENSE_QUESTION.question;
export const programs = TEAM_EXPENSE_QUESTION.programs.map(({ code }) => code.python);
export const knownQuestions = SCRIPTED_QUESTIONS.map((scripted) => scripted.question);
export const questionOnSession =
  knownQuestions.find((known) => known.includes('same session')) ?? '';

/** The right answer, calculated here from the same data. */
export function namesOverBudget() {
  return teamMembers('engineering')
    .filter(({ id }) => {
      const budget = customBudget(id)?.travel_budget ?? 5000;
      const spent = expenseItems(id, 'Q3')
        .filter(({ category, status }) => category === 'travel' && status === 'approved')
        .reduce((sum, { amount }) => sum + amount, 0);
      return spent > budget;
    })
    .map(({ name }) => name);
}
