import type { ConsolePage } from '../../pages.ts'

export const webhooksPages: readonly ConsolePage[] = []
