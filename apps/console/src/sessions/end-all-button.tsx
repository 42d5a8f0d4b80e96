// Ends every session of a user at once.
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';

export function EndAllButton({ user }: { user: { id: string; email: string } }) {
  const { api, user: me } = useConsole();
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const params = { path: { user_id: user.id } };
  return (
    <>
      <Button variant="default" onClick={() => setIsAsking(true)}>
        Sign out everywhere
      </Button>
      {isAsking && (
        <Confirm
          title={`Sign ${user.email} out everywhere?`}
          text={`Every session, grant and token of the user ends${user.id === me.id ? ', this one too' : ''}. API keys stay.`}
          action="Sign out everywhere"
          onClose={() => setIsAsking(false)}
          onConfirm={async () => {
            await bodyOf<unknown>(api.identity.POST('/admin/users/{user_id}/sessions/end-all', { params }));
            await Promise.all([
              queries.invalidateQueries({ queryKey: ['users', user.id] }),
              queries.invalidateQueries({ queryKey: ['grants'] }),
            ]);
          }}
        />
      )}
    </>
  );
}
