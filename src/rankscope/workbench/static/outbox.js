// Marks on their way to the server: kept in IndexedDB until it has acknowledged each, sent in order, again and again.
// A mark has a random key, so sending it twice changes nothing.

const FIRST_PAUSE = 300, LONGEST_PAUSE = 5000; // milliseconds between two tries

export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");
}

// Whether a mark cannot be, so that sending it again changes nothing: the project itself says so. Anything else is a
// fault of the server, or of what stands between, or somebody who is not signed in: the mark is kept.
function isFinal(status, answer) {
  return (status === 400 || status === 409) && answer?.format === "rankscope.refusal";
}

// Where entries are kept; without IndexedDB (some private windows) only as long as the page is open.
class Kept {
  static async open(name) {
    const kept = new Kept();
    kept.base = await new Promise(resolve => {
      try {
        const request = indexedDB.open(`rankscope-${name}`, 1);
        request.onupgradeneeded = () => request.result.createObjectStore("marks", { keyPath: "key" });
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => resolve(null);
      } catch {
        resolve(null);
      }
    });
    return kept;
  }

  run(mode, work) {
    if (!this.base) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const transaction = this.base.transaction("marks", mode);
      const request = work(transaction.objectStore("marks"));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  }

  put(entry) { return this.run("readwrite", store => store.put(entry)); }
  remove(key) { return this.run("readwrite", store => store.delete(key)); }
  all() { return this.run("readonly", store => store.getAll()); }
}

// Entries are {key, address, body, at}. `tell(entry, state, more)` hears of each: saving, saved, again or refused.
export class Outbox {
  static async open(name, tell) {
    const outbox = new Outbox();
    Object.assign(outbox, { tell, waiting: [], pause: FIRST_PAUSE, running: false, wake: null });
    outbox.kept = await Kept.open(name);
    const left = (await outbox.kept.all().catch(() => [])) || [];
    left.sort((one, other) => one.at - other.at);
    for (const entry of left) {
      outbox.waiting.push(entry);
      tell(entry, "saving", { left: true });
    }
    addEventListener("online", () => outbox.now());
    document.addEventListener("visibilitychange", () => document.hidden || outbox.now());
    outbox.run();
    return outbox;
  }

  get size() { return this.waiting.length; }

  add(address, body) {
    const entry = { key: body.key, address, body, at: Date.now() + this.waiting.length / 1000 };
    this.waiting.push(entry);
    this.tell(entry, "saving", {});
    entry.stored = this.kept.put({ key: entry.key, address, body, at: entry.at }).catch(() => null);
    this.run();
    return entry;
  }

  // Try again at once.
  now() {
    this.pause = FIRST_PAUSE;
    if (this.wake) this.wake();
  }

  async run() {
    if (this.running) return;
    this.running = true;
    while (this.waiting.length) {
      const entry = this.waiting[0];
      await entry.stored;
      const wait = await this.send(entry);
      if (wait) await this.sleep(wait);
    }
    this.running = false;
  }

  sleep(wait) {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, wait);
      this.wake = () => { clearTimeout(timer); resolve(); };
    }).finally(() => { this.wake = null; });
  }

  // One try; how long to wait before the next, 0 where this entry is done with.
  async send(entry) {
    let answer;
    try {
      answer = await fetch(entry.address, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify(entry.body),
        signal: AbortSignal.timeout(30000),
      });
      const text = answer.status === 204 ? "" : await answer.text();
      entry.answer = text ? JSON.parse(text) : null;
    } catch {
      return this.again(entry, "the server does not answer; it is tried again by itself");
    }
    if (answer.ok) return this.end(entry, "saved", entry.answer);
    const why = (entry.answer && entry.answer.error) || `the server answers ${answer.status}`;
    if (answer.status === 429) return 1000 * (Number(answer.headers.get("Retry-After")) || 1);
    return isFinal(answer.status, entry.answer) ? this.end(entry, "refused", { error: why }) : this.again(entry, why);
  }

  again(entry, why) {
    this.tell(entry, "again", { why });
    const wait = this.pause;
    this.pause = Math.min(LONGEST_PAUSE, 2 * this.pause);
    return wait;
  }

  async end(entry, state, more) {
    this.pause = FIRST_PAUSE;
    await this.kept.remove(entry.key).catch(() => null);
    this.waiting.shift();
    this.tell(entry, state, more || {});
    return 0;
  }
}
