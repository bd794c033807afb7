import type { ConsolePage } from '../../pages.ts'

export const organizationPages: readonly ConsolePage[] = []
