/** How serious a log entry is (specification, "Edge log entry"), from least to most. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const
export type Level = (typeof LEVELS)[number]

/** Levels whose entries belong to a group of errors. */
export const ERROR_LEVELS: readonly Level[] = ['error', 'fatal']
