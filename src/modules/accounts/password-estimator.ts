/**
 * The estimator of passwords with its lists, in a separate file that is imported on demand. Its packages are
 * CommonJS, and a bundle loses their named exports if they are imported on demand themselves.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

export const createEstimator = (): ZxcvbnFactory =>
  new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
