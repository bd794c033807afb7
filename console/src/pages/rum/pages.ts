import type { ConsolePage } from '../../pages.ts'

export const rumPages: readonly ConsolePage[] = []
