import { expect, it } from 'vitest'
import { createRandom } from '../../../src/platform/random.ts'
import { playStories, printStories } from './attacks.ts'

it('attacks on what is usual end in review in nearly every shop', () => {
  const stories = playStories(createRandom(7, 'stories'), 2)
  for (const { name, reached } of stories.filter(({ name }) => !name.includes('every two days'))) {
    expect({ name, reached }).toEqual({ name, reached: expect.toBeOneOf([0.5, 1]) })
  }
  expect(printStories(stories).split('\n')).toHaveLength(stories.length + 1)
})
