// `service-token create`: a new token for a machine, and the entry of SERVICE_TOKENS that accepts it. Nothing is
// stored: the operator puts the entry into the settings of the services and gives the token to its holder.
import { randomBytes } from 'node:crypto';
import { addExamples, OperatorError, serviceTokenEntry } from '@tradewind/service-kit';
import { print, type Program } from './command-line.js';

export function serviceTokenCommands(program: Program): void {
  const serviceToken = program.command('service-token').description('tokens by which machines call services');
  addExamples(serviceToken, 'service-token create --name coordinator --for priority-api priority-webhook');
  serviceToken
    .command('create')
    .description('make a token; prints it once, and the entry of SERVICE_TOKENS for the services that accept it')
    .requiredOption('--name <name>', 'who presents it; stored and logged with what it does')
    .requiredOption('--for <services...>', 'services that accept it, for example interactions priority-api')
    .option('--company <id>', 'the one company that it acts for; any unless given')
    .action((options: { name: string; for: string[]; company?: string }) => {
      const token = randomBytes(32).toString('base64url');
      const { name, for: services, company } = options;
      const entry = entryOf(token, { name, services, ...(company === undefined ? {} : { companyId: company }) });
      print(`token ${token}`);
      print(`entry ${entry}`);
    });
}

function entryOf(...args: Parameters<typeof serviceTokenEntry>): string {
  try {
    return serviceTokenEntry(...args);
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error));
  }
}
