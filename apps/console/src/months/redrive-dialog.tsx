// Receives a dead letter again: it may be corrected, then the service says what that would start, then it is done.
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/priority-api.generated';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { counted, dollars, number } from '../look/numbers';
import { Problem } from '../look/states';
import { attributeNames, correctionOf, formOf, type Correction, type CorrectionForm } from './correction';
import type { DeadLetter } from './dead-letter.types';

const labels: Record<(typeof attributeNames)[number], string> = {
  batch_number: 'Batch number',
  total_batches: 'Batches in all',
  month: 'Month',
};

export function RedriveDialog({
  letter,
  onClose,
  onChange,
}: {
  letter: DeadLetter;
  onClose: () => void;
  onChange: () => Promise<unknown>;
}) {
  const { api } = useConsole();
  const [before] = useState(() => formOf(letter));
  const [form, setForm] = useState(before);
  const [fault, setFault] = useState<string>();
  const ask = (correction: Correction, isPlan: boolean) =>
    bodyOf(
      api.priorityApi.POST('/admin/dead-letters/{id}/redrive', {
        params: { path: { id: letter.id } },
        body: { ...correction, dry_run: isPlan },
      }),
    );
  const plan = useMutation({
    mutationFn: async (correction: Correction) => ({ correction, answer: await ask(correction, true) }),
  });
  const act = useMutation({ mutationFn: (correction: Correction) => ask(correction, false) });
  const change = (changed: CorrectionForm) => {
    // The plan is that of another text.
    plan.reset();
    act.reset();
    setFault(undefined);
    setForm(changed);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const correction = correctionOf(form, before);
    if ('fault' in correction) setFault(correction.fault);
    else plan.mutate(correction);
  };
  // Whoever was faster may have handled it, or this dialog has: what is behind it is asked for when it closes.
  const close = () => {
    onClose();
    if (!act.isIdle) void onChange();
  };
  if (act.data) {
    const { profiles_triggered: started, profiles_new: added } = act.data;
    return (
      <Dialog title="Received again" onClose={close}>
        <Text role="status" mb="md">
          {added === 0
            ? 'All of its profiles were received before. Nothing was started.'
            : `${counted(started, 'profile')} of ${number(added)} started at once.${started < added ? ' The rest follows in the background.' : ''}`}
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Dialog>
    );
  }
  return (
    <Dialog title={`Receive dead letter ${letter.id} again`} size="lg" onClose={close}>
      <form onSubmit={submit}>
        <Stack>
          <Text className="notice">{letter.reason}</Text>
          <Textarea
            label="What the message holds"
            description="JSON. Leave it as it is if what refused it has changed."
            rows={12}
            autosize={false}
            spellCheck={false}
            data-autofocus
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={form.content}
            onChange={({ target }) => change({ ...form, content: target.value })}
            error={fault}
          />
          <Group grow align="flex-end">
            {attributeNames.map((name) => (
              <TextInput
                key={name}
                label={labels[name]}
                {...(name === 'month' && { placeholder: 'when it came' })}
                value={form.attributes[name]}
                onChange={({ target }) => change({ ...form, attributes: { ...form.attributes, [name]: target.value } })}
              />
            ))}
          </Group>
          {plan.isError && <Problem error={plan.error} />}
          {plan.data && (
            <Text className="notice" role="status">
              {sentenceOf(plan.data.answer)}
            </Text>
          )}
          {act.isError && <Problem error={act.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            {plan.data ? (
              <Button loading={act.isPending} onClick={() => act.mutate(plan.data.correction)}>
                Receive again
              </Button>
            ) : (
              <Button type="submit" loading={plan.isPending}>
                Show the plan
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function sentenceOf({
  month,
  profiles,
  profiles_new: added,
  expected_cost_usd: cost,
}: components['schemas']['RedriveAnswerDto']) {
  const whole = `It holds ${counted(profiles, 'profile')} of ${month}.`;
  if (added === 0) return `${whole} All were received before: nothing will start.`;
  const those = added === profiles ? 'All of them' : `${number(added)} of them`;
  const expected = cost === null ? '' : ` Expected cost ${dollars(cost)}.`;
  return `${whole} ${those} will start, and each is paid for.${expected}`;
}
