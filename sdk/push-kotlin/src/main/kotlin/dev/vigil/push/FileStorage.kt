/** A storage in files of the app, such as those in `filesDir` of an Android context. */
package dev.vigil.push

import java.io.File
import java.nio.file.Files
import java.nio.file.StandardCopyOption

class FileStorage(private val folder: File) : PushStorage {
    override fun read(key: String): String? {
        val file = File(folder, "$key.json")
        return if (file.exists()) file.readText() else null
    }

    /** A crash leaves the former or the new text, never a part of it. */
    override fun write(key: String, value: String) {
        Files.createDirectories(folder.toPath())
        val next = File(folder, "$key.json.next")
        next.writeText(value)
        Files.move(
            next.toPath(),
            File(folder, "$key.json").toPath(),
            StandardCopyOption.REPLACE_EXISTING,
            StandardCopyOption.ATOMIC_MOVE,
        )
    }
}
