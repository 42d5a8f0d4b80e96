import { Body, Controller, Delete, Get, Header, Param, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Administrators,
  assertActsFor,
  Author,
  Caller,
  CompanyAdministrators,
  companyScopeOf,
  pageOf,
  positionAfter,
  toCursor,
  type CallerIdentity,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import { BudgetsService } from '../budgets/budgets.service.js';
import { toMicroUsd } from '../micro-usd.js';
import {
  BudgetListQueryDto,
  companyBudgetDetailsDto,
  CompanyBudgetDetailsDto,
  companyBudgetDto,
  CompanyBudgetsDto,
  CompanyPathDto,
  MonthQueryDto,
  SetBudgetDto,
} from './admin-budgets.dto.js';

/** Who changes a budget where nobody is known (CALLER_AUTH=none). */
const nobody = 'nobody';

/** As the commands `budget ...`. A company sees its own budget, and does not set it. */
@ApiTags('administration of budgets')
@ApiBearerAuth()
@Controller('admin/budgets')
export class AdminBudgetsController {
  constructor(private readonly budgets: BudgetsService) {}

  @Get()
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'What companies may spend, have spent and have reserved in a month (UTC)' })
  @ApiOkResponse({ type: CompanyBudgetsDto })
  async list(
    @Query() { month, limit, cursor }: BudgetListQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<CompanyBudgetsDto> {
    const companyId = companyScopeOf(caller);
    const filter = [month ?? null, companyId ?? null];
    const after = positionAfter(cursor, filter, ([company, ...rest]) =>
      typeof company === 'string' && !/[\0\p{Cs}]/u.test(company) && rest.length === 0 ? company : undefined,
    );
    const companies = await this.budgets.list(month, { companyId, after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(companies, limit, (company) => toCursor([company.companyId], filter));
    return { budgets: page.map(companyBudgetDto), next_cursor };
  }

  @Get(':user_company_id')
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'One company, by day, and who changed its budget' })
  @ApiOkResponse({ type: CompanyBudgetDetailsDto })
  async get(
    @Param() { user_company_id: companyId }: CompanyPathDto,
    @Query() { month }: MonthQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<CompanyBudgetDetailsDto> {
    assertActsFor(caller, companyId);
    return companyBudgetDetailsDto(await this.budgets.show(companyId, month));
  }

  @Put(':user_company_id')
  @Administrators()
  @ApiOperation({ summary: 'Limit what a company may spend in a month; jobs that were accepted before go on' })
  @ApiOkResponse({ type: CompanyBudgetDetailsDto })
  async set(
    @Param() { user_company_id: companyId }: CompanyPathDto,
    @Body() { budget_usd: usd }: SetBudgetDto,
    @Author() { by }: ChangeAuthor,
  ): Promise<CompanyBudgetDetailsDto> {
    await this.budgets.set(companyId, usd === null ? null : toMicroUsd(usd), by ?? nobody);
    return companyBudgetDetailsDto(await this.budgets.show(companyId));
  }

  @Delete(':user_company_id')
  @Administrators()
  @ApiOperation({ summary: 'Give the company the budget of COMPANY_BUDGET_USD again' })
  @ApiOkResponse({ type: CompanyBudgetDetailsDto })
  async clear(
    @Param() { user_company_id: companyId }: CompanyPathDto,
    @Author() { by }: ChangeAuthor,
  ): Promise<CompanyBudgetDetailsDto> {
    await this.budgets.clear(companyId, by ?? nobody);
    return companyBudgetDetailsDto(await this.budgets.show(companyId));
  }
}
