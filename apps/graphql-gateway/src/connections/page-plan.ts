// Which form a page's statement takes, where PostgreSQL's own choice is known to go wrong.
import { Injectable } from '@nestjs/common';
import type { NormalisedFilter } from '@tradewind/filters';
import { Clock } from '../clock.js';
import { ElementFrequencies } from './element-frequencies.js';
import { formByDays } from './page-plan.days.js';
import { formByElements, selectivityOf, type Selectivity } from './page-plan.elements.js';
import type { PageForm } from './page-query.js';
import type { PageRequest } from './page-reader.port.js';

const keptMs = 10 * 60_000;

@Injectable()
export class PagePlan {
  /** Filters are remembered, so the same object comes with many requests. */
  private readonly kept = new WeakMap<NormalisedFilter, { selectivity: Selectivity | null; readAt: number }>();

  constructor(
    private readonly frequencies: ElementFrequencies,
    private readonly clock: Clock,
  ) {}

  async formOf(request: PageRequest): Promise<PageForm> {
    const days = formByDays(request);
    if (days) return days;
    const selectivity = await this.selectivityOf(request);
    return (selectivity && formByElements(request, selectivity)) ?? 'ordered';
  }

  private async selectivityOf(request: PageRequest): Promise<Selectivity | null> {
    const { filter, words } = request;
    if (!filter || words) return selectivityOf(request, this.frequencies);
    const now = this.clock.now().getTime();
    const known = this.kept.get(filter);
    if (known && now - known.readAt < keptMs && now >= known.readAt) return known.selectivity;
    const selectivity = await selectivityOf(request, this.frequencies);
    this.kept.set(filter, { selectivity, readAt: now });
    return selectivity;
  }
}
