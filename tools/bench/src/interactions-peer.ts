// The peer of the webhook benchmark: a bare Fastify handler that inserts one row for each request.
import fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
await pool.query(
  'create table if not exists peer_inbox (id bigint generated always as identity primary key, payload json)',
);
const app = fastify();
app.get('/health', () => ({ status: 'healthy' }));
app.post('/webhook', async (request) => {
  await pool.query('insert into peer_inbox (payload) values ($1)', [JSON.stringify(request.body)]);
  return { status: 'accepted' };
});
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
