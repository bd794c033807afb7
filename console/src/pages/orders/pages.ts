import type { ConsolePage } from '../../pages.ts'

export const ordersPages: readonly ConsolePage[] = []
