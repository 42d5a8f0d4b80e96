// What the administration of budgets takes and answers. Amounts are US dollars with at most six digits behind the
// point.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { isMonth, MayBeAbsent, monthFault, type Month } from '@tradewind/shared-types';
import { ValidateIf } from 'class-validator';
import type { CompanyCosts } from '../budgets/budgets.service.js';
import type { BudgetChange } from '../budgets/budgets.store.js';
import { IsPlainText, Rule } from '../jobs-api/field-rules.js';
import { parseMicroUsd, toUsd } from '../micro-usd.js';
import type { DayCosts } from '../tracker/costs.store.js';

const companyIdLengthMax = 200;
const month = '2026-11';

export class MonthQueryDto {
  @ApiPropertyOptional({
    type: String,
    pattern: '^[0-9]{4}-[0-9]{2}$',
    example: month,
    description: 'The present one unless given',
  })
  @MayBeAbsent()
  @Rule('isMonth', (value) => (typeof value === 'string' && isMonth(value) ? undefined : ` ${monthFault('')}`))
  month?: Month;
}

export class BudgetListQueryDto extends MonthQueryDto {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class CompanyPathDto {
  @ApiProperty({ type: String, maxLength: companyIdLengthMax, example: 'acme' })
  @IsPlainText(companyIdLengthMax)
  user_company_id!: string;
}

export class SetBudgetDto {
  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    example: 250.5,
    description: 'US dollars in a month; null: unlimited, whatever COMPANY_BUDGET_USD says',
  })
  @ValidateIf((_object, value) => value !== null)
  @Rule('isUsd', (value) =>
    typeof value === 'number' && parseMicroUsd(String(value)) !== undefined
      ? undefined
      : ' must be null or an amount from 0 to 999,999,999.999999 with at most six digits behind the point',
  )
  budget_usd!: number | null;
}

export class CompanyBudgetDto {
  @ApiProperty({ type: String, example: 'acme' }) user_company_id!: string;
  @ApiProperty({ type: Number, nullable: true, example: 250.5, description: 'Null: unlimited' }) budget_usd!:
    number | null;
  @ApiProperty({ type: Boolean, example: false, description: 'Whether it is COMPANY_BUDGET_USD' }) is_default!: boolean;
  @ApiProperty({ type: Number, example: 12.25, description: 'Of the runs that have ended' }) spent_usd!: number;

  @ApiProperty({ type: Number, example: 1.5, description: 'What the jobs that wait or run may still cost' })
  reserved_usd!: number;
}

export class CompanyBudgetsDto {
  @ApiProperty({ type: [CompanyBudgetDto], description: 'With a budget of their own or costs in the month, by name' })
  budgets!: CompanyBudgetDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export class DayCostsDto {
  @ApiProperty({ type: String, format: 'date', example: '2026-11-24' }) day!: string;
  @ApiProperty({ type: Number, example: 0.75 }) spent_usd!: number;
}

export class BudgetChangeDto {
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-24T10:00:00.123Z' }) changed_at!: string;

  @ApiProperty({
    type: String,
    example: 'operator',
    description: '`sub` of a user, name of a service token, or operator',
  })
  changed_by!: string;

  @ApiProperty({ type: String, enum: ['limited', 'unlimited', 'default'], example: 'limited' })
  kind!: BudgetChange['kind'];
  @ApiProperty({ type: Number, nullable: true, example: 250.5 }) budget_usd!: number | null;
}

export class CompanyBudgetDetailsDto extends CompanyBudgetDto {
  @ApiProperty({ type: String, example: month }) month!: string;
  @ApiProperty({ type: [DayCostsDto], description: 'Days on which jobs were accepted that cost something' })
  days!: DayCostsDto[];
  @ApiProperty({ type: [BudgetChangeDto], description: 'The last hundred, the latest first' })
  changes!: BudgetChangeDto[];
}

export const companyBudgetDto = (company: CompanyCosts): CompanyBudgetDto => ({
  user_company_id: company.companyId,
  budget_usd: company.budgetMicroUsd === null ? null : toUsd(company.budgetMicroUsd),
  is_default: company.isDefault,
  spent_usd: toUsd(company.spentMicroUsd),
  reserved_usd: toUsd(company.reservedMicroUsd),
});

export const companyBudgetDetailsDto = (
  company: CompanyCosts & { month: Month; days: DayCosts[]; changes: BudgetChange[] },
): CompanyBudgetDetailsDto => ({
  ...companyBudgetDto(company),
  month: company.month,
  days: company.days.map(({ day, spentMicroUsd }) => ({ day, spent_usd: toUsd(spentMicroUsd) })),
  changes: company.changes.map(({ changedAt, changedBy, kind, budgetMicroUsd }) => ({
    changed_at: changedAt.toISOString(),
    changed_by: changedBy,
    kind,
    budget_usd: budgetMicroUsd === null ? null : toUsd(budgetMicroUsd),
  })),
});
