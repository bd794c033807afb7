import type { ConsolePage } from '../../pages.ts'

export const homePages: readonly ConsolePage[] = []
