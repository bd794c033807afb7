/** The service and the story that the parts of the filling work with. */
import type { Core, Parts, Services } from '../../src/app/index.ts'
import type { Stores } from '../../src/app/stores.ts'
import type { Config } from '../../src/config.ts'
import type { KeyType } from '../../src/modules/keys/tables.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { StoryClock } from '../clock.ts'
import type { DemoEmulators } from '../emulators.ts'
import type { Story } from '../story/story.ts'

/** The service has to be created with this clock and these emulators. */
export type DemoService = {
  stores: Stores
  core: Core
  parts: Parts
  services: Services
  config: Config
  app: App
  clock: StoryClock
  emulators: DemoEmulators
  /** Whether there is an analytics engine. Without one, there are no logs and no browser events. */
  has_logs: boolean
}

export type SignIn = { email: string; password: string }

export type People = {
  org_id: string
  owner_id: string
  owner: SignIn
  /** The users who decide reviews; the first one is an admin. */
  reviewers: readonly { user_id: string; email: string }[]
  keys: Record<KeyType, string>
}

/** The service and the story, from which events are replayed. */
export type ReplayContext = DemoService & {
  story: Story
  people: Pick<People, 'org_id'>
}

export type FillContext = ReplayContext & {
  people: People
  progress: (line: string) => void
}
