// Starts jobs: targets, how much to read, and what came of each.
import { Button, Checkbox, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { Problem } from '../look/states';
import { averageCostUsd, jobsOfAverage } from './expected-cost';
import { itemsMax, targetsOf, type Target } from './targets';

const targetsMax = 100;
const ages = ['any', '24h', 'week', 'month', '3months', '6months'] as const;

export function StartDialog({ onClose }: { onClose: () => void }) {
  const { api, user } = useConsole();
  const queries = useQueryClient();
  const [form, setForm] = useState({
    company: user.companyId ?? '',
    entity: 'PERSON' as Target['entity'],
    text: '',
    age: 'any' as (typeof ages)[number],
    posts: '10',
    isWithComments: true,
    comments: '5',
    isWithReactions: true,
    reactions: '5',
  });
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change });
  const targets = targetsOf(form.text, form.entity);
  const most = itemsMax(targets.length, {
    posts: Number(form.posts),
    comments: form.isWithComments ? Number(form.comments) : 0,
    reactions: form.isWithReactions ? Number(form.reactions) : 0,
  });
  const company = form.company.trim();
  const average = useQuery({
    queryKey: ['average cost', company],
    queryFn: async () => {
      const query = { user_company_id: company, limit: jobsOfAverage };
      const { interactions } = await bodyOf(
        api.interactions.GET('/scraper/network/interactions', { params: { query } }),
      );
      return averageCostUsd(interactions) ?? null;
    },
    // Asked once there are targets: the company is typed in by then, or follows next.
    ...{ enabled: company !== '' && targets.length > 0, staleTime: 60_000, retry: false },
  });
  const start = useMutation({
    mutationFn: () =>
      bodyOf(
        api.interactions.POST('/scraper/network/interactions', {
          body: {
            user_company_id: company,
            trigger_user_id: user.id,
            targets,
            posted_limit: form.age,
            max_posts: Number(form.posts),
            scrape_comments: form.isWithComments,
            max_comments: Number(form.comments),
            scrape_reactions: form.isWithReactions,
            max_reactions: Number(form.reactions),
            comments_posted_limit: 'any',
          },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (targets.length > 0) start.mutate();
  };
  return (
    <Dialog title="Start jobs" size="lg" onClose={onClose}>
      {start.isSuccess ? (
        <Stack>
          <Text role="status">{start.data.message}</Text>
          <ul>
            {start.data.results.map(({ network_handle: handle, error }) => (
              <li key={handle}>
                {handle}: {error ?? 'started'}
              </li>
            ))}
          </ul>
          <Group justify="flex-end">
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Textarea
              data-autofocus
              label="Handles or profile addresses, one a line"
              description={`At most ${targetsMax}`}
              required
              autosize={false}
              rows={4}
              value={form.text}
              onChange={({ target }) => set({ text: target.value })}
              error={targets.length > targetsMax ? `These are ${targets.length}.` : undefined}
            />
            <Group grow align="flex-end">
              <NativeSelect
                label="They are"
                value={form.entity}
                onChange={({ target }) => set({ entity: target.value as Target['entity'] })}
                data={[
                  { value: 'PERSON', label: 'people' },
                  { value: 'COMPANY', label: 'companies' },
                ]}
              />
              <TextInput
                label="Company id"
                required
                readOnly={user.companyId !== undefined}
                value={form.company}
                onChange={({ target }) => set({ company: target.value })}
              />
            </Group>
            <Group grow align="flex-end">
              <NativeSelect
                label="Posts of the last"
                value={form.age}
                onChange={({ target }) => set({ age: target.value as typeof form.age })}
                data={ages.map((value) => ({ value, label: value === 'any' ? 'any time' : value }))}
              />
              <TextInput
                label="Posts of each, at most"
                type="number"
                min={0}
                required
                value={form.posts}
                onChange={({ target }) => set({ posts: target.value })}
              />
            </Group>
            <Group grow align="flex-end">
              <Checkbox
                label="Comments"
                checked={form.isWithComments}
                onChange={({ target }) => set({ isWithComments: target.checked })}
              />
              <TextInput
                label="Comments of a post, at most"
                type="number"
                min={1}
                disabled={!form.isWithComments}
                value={form.comments}
                onChange={({ target }) => set({ comments: target.value })}
              />
            </Group>
            <Group grow align="flex-end">
              <Checkbox
                label="Reactions"
                checked={form.isWithReactions}
                onChange={({ target }) => set({ isWithReactions: target.checked })}
              />
              <TextInput
                label="Reactions of a post, at most"
                type="number"
                min={1}
                disabled={!form.isWithReactions}
                value={form.reactions}
                onChange={({ target }) => set({ reactions: target.value })}
              />
            </Group>
            {targets.length > 0 && (
              <Text className="notice" role="status">
                {targets.length === 1 ? 'One job' : `${targets.length} jobs`}
                {most === undefined ? ', without a limit of posts.' : `, up to ${most.toLocaleString('en')} items.`}
                {average.isSuccess && ` ${costSentence(average.data, targets.length)}`}
              </Text>
            )}
            {start.isError && <Problem error={start.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={start.isPending} disabled={targets.length > targetsMax}>
                Start
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

const costSentence = (average: number | null, jobs: number) =>
  average === null
    ? 'No job of this company has a known cost yet.'
    : `Expected cost $${(average * jobs).toFixed(2)}, as its last jobs on average.`;
