/** Severities of log entries (specification, "Edge log entry"), from least to most serious. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const
export type Level = (typeof LEVELS)[number]

const ONE = LEVELS.join('|')
/** Pattern of levels separated by commas, at most one entry per level. */
export const LEVEL_LIST = `^(${ONE})(,(${ONE})){0,${LEVELS.length - 1}}$`

/** Levels whose entries belong to an error group. */
export const ERROR_LEVELS: readonly Level[] = ['error', 'fatal']
