import type { ConsolePage } from '../../pages.ts'

export const pushPages: readonly ConsolePage[] = []
