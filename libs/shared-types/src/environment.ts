/** Where a deployment runs. Chosen by the setting ENVIRONMENT; decides limits, table suffixes and what is unsafe. */
export const environments = ['production', 'staging', 'dev'] as const;
export type Environment = (typeof environments)[number];
