import type { ConsolePage } from '../../pages.ts'

export const reviewsPages: readonly ConsolePage[] = []
