/** What the parts of the filling work with. */
import type { Services } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { KeyType } from '../../src/platform/postgres/tables/accounts.ts'
import type { Stores } from '../../src/stores.ts'
import type { StoryClock } from '../clock.ts'
import type { Outside } from '../outside.ts'
import type { Story } from '../story/story.ts'

/** A service that was made with `clock` as its clock and `outside` as its outside. */
export type DemoService = {
  stores: Stores
  services: Services
  config: Config
  app: App
  clock: StoryClock
  outside: Outside
}

export type SignIn = { email: string; password: string }

export type People = {
  org_id: string
  owner_id: string
  owner: SignIn
  /** Those who decide about what is in the queue; the first is an admin. */
  reviewers: readonly { user_id: string; email: string }[]
  keys: Record<KeyType, string>
}

/** For what only tells the service something. */
export type Telling = DemoService & {
  story: Story
  people: Pick<People, 'org_id'>
}

export type Filling = Telling & {
  people: People
  /** Told what is being done. */
  progress: (line: string) => void
}
