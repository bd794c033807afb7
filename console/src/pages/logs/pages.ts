import type { ConsolePage } from '../../pages.ts'

export const logsPages: readonly ConsolePage[] = []
