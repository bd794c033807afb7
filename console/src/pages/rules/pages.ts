import type { ConsolePage } from '../../pages.ts'

export const rulesPages: readonly ConsolePage[] = []
