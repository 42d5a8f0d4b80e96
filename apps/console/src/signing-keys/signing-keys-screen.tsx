// The keys that sign identity's tokens, and the change to the next one.
import { Button, Checkbox, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';
import { Answer, Heading, Moment, Tag } from '../look/states';

const route = getRouteApi('/signing-keys');

export function SigningKeysScreen() {
  const { api } = useConsole();
  const { rotate } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['signing-keys'],
    queryFn: () => bodyOf(api.identity.GET('/admin/signing-keys')),
  });
  return (
    <>
      <Heading
        title="Signing keys"
        lead="The current key signs tokens. The next one is published before it signs, so that services know it by then."
        actions={
          <Button variant="default" onClick={() => void navigate({ search: { rotate: 'yes' } })}>
            Rotate
          </Button>
        }
      />
      <Answer query={query} waiting="Loading signing keys">
        {({ signing_keys: keys }) => (
          <div className="card table-card" tabIndex={0} role="region" aria-label="Signing keys">
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Key id</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Algorithm</Table.Th>
                  <Table.Th>Made</Table.Th>
                  <Table.Th>Signs since</Table.Th>
                  <Table.Th>Published until</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {keys.map((key) => (
                  <Table.Tr key={key.kid}>
                    <Table.Td>
                      <code>{key.kid}</code>
                    </Table.Td>
                    <Table.Td>
                      <Tag state={key.state} />
                    </Table.Td>
                    <Table.Td>{key.alg}</Table.Td>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>
                      <Moment at={key.created_at} />
                    </Table.Td>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>
                      <Moment at={key.activated_at} />
                    </Table.Td>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>
                      <Moment at={key.expires_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Answer>
      {rotate && <RotateDialog onClose={() => void navigate({ search: {} })} />}
    </>
  );
}

function RotateDialog({ onClose }: { onClose: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [isForced, setIsForced] = useState(false);
  return (
    <Confirm
      title="Let the next key sign?"
      text={
        <>
          <Text mb="sm">Tokens of the current key stay valid until they expire. A new next key is made.</Text>
          <Checkbox
            label="Even when the next key was published just now"
            description="A service that has not read it yet refuses new tokens"
            checked={isForced}
            onChange={({ target }) => setIsForced(target.checked)}
          />
        </>
      }
      action="Rotate the key"
      onClose={onClose}
      onConfirm={async () => {
        await bodyOf(api.identity.POST('/admin/signing-keys/rotate', { body: { force: isForced } }));
        await queries.invalidateQueries({ queryKey: ['signing-keys'] });
      }}
    />
  );
}
