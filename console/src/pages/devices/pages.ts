import type { ConsolePage } from '../../pages.ts'

export const devicesPages: readonly ConsolePage[] = []
