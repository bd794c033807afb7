import type { ConsolePage } from '../../pages.ts'

export const checksPages: readonly ConsolePage[] = []
