/** The step of an imported line about a profile, which is applied once however often it is imported. */
import { rowFor } from '../../platform/postgres/rows.ts'
import { readFrom, type Step, withRowsOf } from '../../platform/states/index.ts'
import { importedReader, importedWriter, type Line } from './imported.store.ts'
import { type ProfileJob, type ProfileStepDependencies, profileStep } from './step.ts'
import { profileWriter } from './store.ts'

/** @returns whether the line was new */
export function importedProfileStep(
  deps: ProfileStepDependencies,
  job: ProfileJob,
  line: Pick<Line, 'line_hash' | 'imported_at'>,
): Step<boolean> {
  const { org_id, keys } = job
  const { line_hash, imported_at } = line
  const step = withRowsOf(profileStep(deps, job), [profileWriter], imported_at)
  return {
    ...step,
    identity: `imported profile ${org_id} ${line_hash}`,
    reads: [readFrom(importedReader, { org_id, line_hash }), ...step.reads],
    apply: (states, [isKnown, ...answers]) => {
      if (isKnown === true) return { states: [], rows: [], result: false }
      const outcome = step.apply(states, answers)
      const row = { org_id, line_hash, profile_id: keys.profile, imported_at }
      return { ...outcome, rows: [...outcome.rows, rowFor(importedWriter, row)], result: true }
    },
  }
}
