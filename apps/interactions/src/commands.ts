// Operator commands: `tradewind interactions budget list | show | set | clear`.
import type { INestApplicationContext } from '@nestjs/common';
import { addExamples, OperatorError, textTable, utcText, type Command } from '@tradewind/service-kit';
import { isMonth, monthFault, monthOf, type Month } from '@tradewind/shared-types';
import { BudgetsService, type Budget, type CompanyCosts } from './budgets/budgets.service.js';
import type { BudgetChange } from './budgets/budgets.store.js';
import { parseMicroUsd, toUsd } from './micro-usd.js';

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  const budget = program.command('budget').description('what the runs of a company may cost in a month (UTC)');
  addExamples(
    budget,
    'budget list --month 2026-11',
    'budget show acme',
    'budget set acme 250.50',
    'budget set acme unlimited',
    'budget clear acme',
  );
  const budgets = async () => (await open()).get(BudgetsService);
  const printCompany = async (companyId: string) => print(budgetTable([await (await budgets()).show(companyId)]));

  budget
    .command('list')
    .option('--month <YYYY-MM>', 'the month', toMonth, monthOf(new Date()))
    .option('--json', 'one JSON object for each company')
    .description('companies that have a budget of their own, or costs in the month')
    .action(async ({ month, json }: { month: Month; json?: boolean }) => {
      const companies = await (await budgets()).list(month);
      if (json) for (const company of companies) print(JSON.stringify({ month, ...shown(company) }));
      else print(budgetTable(companies));
    });
  budget
    .command('show <company>')
    .option('--month <YYYY-MM>', 'the month', toMonth, monthOf(new Date()))
    .description('the costs of one company by day, and who changed its budget')
    .action(async (companyId: string, { month }: { month: Month }) => {
      const company = await (await budgets()).show(companyId, month);
      const days = company.days.map(({ day, spentMicroUsd }) => [day, usdText(spentMicroUsd)]);
      print(budgetTable([company]));
      print(`\n${textTable(['day (UTC)', 'spent'], days, 'No runs cost anything in this month.')}`);
      print(`\n${changeTable(company.changes)}`);
    });
  budget
    .command('set <company> <usd>')
    .description('limit the costs of a month, in US dollars or "unlimited"; jobs that were accepted before go on')
    .action(async (companyId: string, amount: string) => {
      const budgetMicroUsd = toBudget(amount);
      await (await budgets()).set(toCompany(companyId), budgetMicroUsd, 'operator');
      await printCompany(companyId);
    });
  budget
    .command('clear <company>')
    .description('give the company the budget of COMPANY_BUDGET_USD again')
    .action(async (companyId: string) => {
      await (await budgets()).clear(toCompany(companyId), 'operator');
      await printCompany(companyId);
    });
}

function budgetTable(companies: readonly CompanyCosts[]): string {
  return textTable(
    ['company', 'budget', 'set by', 'spent', 'reserved', 'left'],
    companies.map((company) => [
      company.companyId,
      amountText(company),
      company.isDefault ? 'setting' : 'operator',
      usdText(company.spentMicroUsd),
      usdText(company.reservedMicroUsd),
      company.budgetMicroUsd === null ? undefined : usdText(leftMicroUsd(company, company.budgetMicroUsd)),
    ]),
    'Nothing here: no company has a budget of its own, or costs in this month.',
  );
}

function changeTable(changes: readonly BudgetChange[]): string {
  return textTable(
    ['changed (UTC)', 'by', 'budget'],
    changes.map(({ changedAt, changedBy, kind, budgetMicroUsd }) => [
      utcText(changedAt),
      changedBy,
      kind === 'default' ? 'setting' : amountText({ budgetMicroUsd }),
    ]),
    'The budget of this company was never changed.',
  );
}

function shown(company: CompanyCosts) {
  const { companyId, budgetMicroUsd, isDefault, spentMicroUsd, reservedMicroUsd } = company;
  return {
    user_company_id: companyId,
    budget_usd: budgetMicroUsd === null ? null : toUsd(budgetMicroUsd),
    is_default: isDefault,
    spent_usd: toUsd(spentMicroUsd),
    reserved_usd: toUsd(reservedMicroUsd),
  };
}

const leftMicroUsd = ({ spentMicroUsd, reservedMicroUsd }: CompanyCosts, budgetMicroUsd: number) =>
  Math.max(0, budgetMicroUsd - spentMicroUsd - reservedMicroUsd);

const amountText = ({ budgetMicroUsd }: Pick<Budget, 'budgetMicroUsd'>) =>
  budgetMicroUsd === null ? 'unlimited' : usdText(budgetMicroUsd);

const usdText = (microUsd: number) =>
  toUsd(microUsd)
    .toFixed(6)
    .replace(/0{1,4}$/, '');

function toBudget(text: string): number | null {
  if (text === 'unlimited') return null;
  const microUsd = parseMicroUsd(text);
  if (microUsd !== undefined) return microUsd;
  throw new OperatorError(`the budget must be an amount in US dollars such as 250.50, or unlimited, not "${text}"`);
}

function toCompany(text: string): string {
  if (text.trim() === text && text !== '') return text;
  throw new OperatorError('the company must be an id without spaces around it');
}

function toMonth(text: string): Month {
  if (isMonth(text)) return text;
  throw new OperatorError(`--month ${monthFault(text)}, not "${text}"`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
