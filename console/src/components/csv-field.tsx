/** A CSV file of the user, as its text. */
export function CsvField({ onText }: { onText: (text: string) => void }) {
  return (
    <label>
      CSV file{' '}
      <input
        type="file"
        accept=".csv,text/csv"
        onChange={(event) => {
          void event.currentTarget.files?.[0]?.text().then(onText)
        }}
      />
    </label>
  )
}
