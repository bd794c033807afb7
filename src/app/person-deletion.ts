/** The deletion of a person's data, for the console and the command line. */
import { createPersonDeletion, type PersonDeletion } from '../modules/person-data/index.ts'
import { analyticsTables } from './backups.ts'
import type { Core } from './core.ts'
import type { Scoring } from './scoring.ts'

export const personDeletionOf = (
  core: Core,
  { lists, reputation }: Pick<Scoring, 'lists' | 'reputation'>,
): PersonDeletion => {
  const { analytics, config, data_dir, directory, db, clock, newId, hash, stateId } = core
  return createPersonDeletion({
    directory,
    db,
    clock,
    newId,
    hash,
    stateId,
    lists,
    reputation,
    audit: core.directoryWriters.audit,
    analytics: () => analyticsTables(analytics, config, data_dir),
  })
}
