// Sets what a company may spend in a month.
import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/interactions.generated';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { dollars } from '../look/numbers';
import { Problem } from '../look/states';

type Kind = 'limited' | 'unlimited' | 'default';

export function BudgetDialog({
  company,
  onClose,
}: {
  company: components['schemas']['CompanyBudgetDetailsDto'];
  onClose: () => void;
}) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const path = { user_company_id: company.user_company_id };
  const [kind, setKind] = useState<Kind>('limited');
  const [text, setText] = useState(company.budget_usd === null ? '' : String(company.budget_usd));
  const usd = /^\d+(\.\d{1,6})?$/.test(text.trim()) ? Number(text.trim()) : undefined;
  const used = company.spent_usd + company.reserved_usd;
  const save = useMutation({
    mutationFn: () =>
      kind === 'default'
        ? bodyOf(api.interactions.DELETE('/admin/budgets/{user_company_id}', { params: { path } }))
        : bodyOf(
            api.interactions.PUT('/admin/budgets/{user_company_id}', {
              params: { path },
              body: { budget_usd: kind === 'unlimited' ? null : usd! },
            }),
          ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['budgets'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (kind !== 'limited' || usd !== undefined) save.mutate();
  };
  return (
    <Dialog title={`Budget of ${company.user_company_id}`} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Radio.Group label="In each month it may spend" value={kind} onChange={(value) => setKind(value)}>
            <Stack gap="xs" mt="xs">
              <Radio value="limited" label="an amount of its own" />
              <Radio value="unlimited" label="as much as it likes" />
              <Radio value="default" label="as much as everybody (COMPANY_BUDGET_USD)" />
            </Stack>
          </Radio.Group>
          {kind === 'limited' && (
            <TextInput
              data-autofocus
              label="US dollars in a month"
              inputMode="decimal"
              required
              value={text}
              onChange={({ target }) => setText(target.value)}
              error={text.trim() !== '' && usd === undefined && 'An amount such as 250 or 12.50'}
            />
          )}
          {kind === 'limited' && usd !== undefined && usd < used && (
            <Text className="notice" role="status">
              {dollars(used)} of {company.month} are spent or reserved. Jobs that were accepted go on; no new one
              starts.
            </Text>
          )}
          {save.isError && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Set the budget
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
