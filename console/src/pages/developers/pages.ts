import type { ConsolePage } from '../../pages.ts'

export const developersPages: readonly ConsolePage[] = []
