import type { ConsolePage } from '../../pages.ts'

export const cashiersPages: readonly ConsolePage[] = []
