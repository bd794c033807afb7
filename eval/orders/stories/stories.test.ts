import { expect, it } from 'vitest'
import { createRandom } from '../../../src/platform/random.ts'
import { playStories, printStories } from './attacks.ts'

it('attacks on what is usual end in review in nearly every shop', () => {
  const stories = playStories(createRandom(7, 'stories'), 2)
  const missed = stories.filter(({ reached }) => reached < 0.5).map(({ name }) => name)
  expect(missed.filter((name) => !name.includes('every two days'))).toEqual([])
  expect(printStories(stories).split('\n')).toHaveLength(stories.length + 1)
})
