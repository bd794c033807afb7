/** Severities of log entries (specification, "Edge log entry"), from least to most serious. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const
export type Level = (typeof LEVELS)[number]

/** Levels whose entries belong to an error group. */
export const ERROR_LEVELS: readonly Level[] = ['error', 'fatal']
