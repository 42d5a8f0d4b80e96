// All events of a filter as a file, one JSON object a line. Identity reads them as the browser takes them.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { saveFile } from '../look/save-file';
import { Problem } from '../look/states';
import { auditFilterOf, type AuditSearch } from './audit-filter';

export function ExportButton({ search }: { search: AuditSearch }) {
  const { api } = useConsole();
  const save = useMutation({
    mutationFn: async () => {
      const query = auditFilterOf(search, new Date());
      const answer = await bodyOf(api.identity.GET('/admin/audit/export', { params: { query }, parseAs: 'blob' }));
      saveFile(answer, `audit-${new Date().toISOString().slice(0, 10)}.ndjson`);
      return answer.size;
    },
  });
  return (
    <div>
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Export as NDJSON
      </Button>
      <div role="status">
        {save.isSuccess && (save.data === 0 ? 'No event fits these filters.' : `Saved ${sizeOf(save.data)}.`)}
      </div>
      {save.isError && <Problem error={save.error} />}
    </div>
  );
}

const sizeOf = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
