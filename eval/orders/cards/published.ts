/**
 * Published results on this simulator: Fraud Detection Handbook, protocol A (chapter 3: one week of
 * training, seven days of delay, test from 2018-08-08 to 08-14) and protocol B (chapters 5 to 7: four
 * such weeks). All of these models were trained on labels; the scoring of orders is not trained.
 */
import type { RankQuality } from './quality.ts'

export type Published = RankQuality & { name: string }

const row = (
  name: string,
  auc_roc: number,
  average_precision: number,
  card_precision: number,
): Published => ({ name, auc_roc, average_precision, card_precision })

export const PUBLISHED: readonly Published[] = [
  row('A logistic regression', 0.871, 0.606, 0.291),
  row('A random forest', 0.867, 0.658, 0.287),
  row('A gradient boosting', 0.862, 0.639, 0.273),
  row('A autoencoder, no labels*', 0.836, 0.18, 0.217),
  row('A isolation forest, no labels*', 0.808, 0.164, 0.19),
  row('A random order', 0.5, 0.007, 0.017),
  row('B logistic regression', 0.868, 0.623, 0.297),
  row('B random forest', 0.87, 0.678, 0.299),
  row('B gradient boosting', 0.869, 0.687, 0.303),
  row('B neural network', 0.876, 0.675, 0.303),
]

/** Goals of the product, as the mean of the five weeks. */
export const AIMS = {
  none: { auc_roc: 0.93, average_precision: 0.72 },
  every_order: { auc_roc: 0.87, average_precision: 0.6, card_precision: 0.29 },
} as const
