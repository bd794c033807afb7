/** The fate of one record of an import. */
import { AppError } from './http/errors.ts'

/** `known` means that the record was imported, or received, before. */
export type Imported = 'added' | 'known' | RefusedRecord

export type RefusedRecord = { field: string; message: string }

/** @throws what is not the fault of the record */
export async function importedOf<Result>(
  submitted: Promise<Result>,
  isNew: (result: Result) => boolean,
): Promise<Imported> {
  try {
    return isNew(await submitted) ? 'added' : 'known'
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return refusalOf(error)
  }
}

/** The member that a request was refused for, and why. */
export function refusalOf({ message, body }: AppError): RefusedRecord {
  const field = body.content?.['field']
  return { field: typeof field === 'string' ? field : '', message }
}
