// The contents of a file in an element: an image, or the lines around where one looks, more while one scrolls.

import { element } from '../core/element.js';
import { read } from '../core/server.js';

const NEAR = 600;
const STRETCH = 500;
const IMAGE = /\.(png|jpe?g|gif|webp|bmp|avif)$/i;

/** @typedef {{size: number, encoding: string, first: number, binary: boolean, lines: string[], more: boolean}} Lines */

export class Contents {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    this.first = 0;
    this.count = 0;
    this.isMore = false;
    this.isLoading = false;
    this.about = element('p', { class: 'note' });
    this.text = element('pre', { class: 'text', tabIndex: 0, role: 'region', 'aria-label': path });
    this.text.addEventListener('scroll', () => { this.scrolled().catch(() => undefined); });
  }

  /** Show the beginning. */
  async open() {
    if (IMAGE.test(this.path) && await this.image()) return;
    await this.from(0);
  }

  /** Whether it is an image that the browser can draw. */
  async image() {
    const image = element('img', { alt: this.path });
    try {
      image.src = (await read(`/page/image?path=${encodeURIComponent(this.path)}`)).href;
      await image.decode();
    } catch {
      return false;
    }
    this.about.textContent = `${image.naturalWidth} × ${image.naturalHeight}`;
    this.text.replaceChildren(image);
    this.text.classList.add('image');
    return true;
  }

  /** Show what begins at a line. @param {number} line */
  async from(line) {
    const found = await this.load(line);
    this.first = found.first;
    this.count = found.lines.length;
    this.isMore = found.more;
    const kind = found.binary ? 'no text, shown as bytes' : found.encoding;
    this.about.textContent = `${found.size.toLocaleString()} bytes · ${kind}`;
    this.text.replaceChildren(...found.lines.map(drawn));
    if (!found.size) this.text.replaceChildren(element('div', { class: 'hint' }, 'This file is empty.'));
  }

  /** Show a line in the middle, and mark it. @param {number} line */
  async go(line) {
    if (line < this.first || line >= this.first + this.count) await this.from(Math.max(0, line - STRETCH / 2));
    this.text.querySelector('.found')?.classList.remove('found');
    const found = this.text.children[line - this.first];
    found?.classList.add('found');
    found?.scrollIntoView({ block: 'center' });
  }

  /** The line at the top of what is seen. */
  get top() {
    const { top } = this.text.getBoundingClientRect();
    const index = [...this.text.children].findIndex((line) => line.getBoundingClientRect().bottom > top + 1);
    return this.first + Math.max(0, index);
  }

  async scrolled() {
    if (this.isLoading || !this.count) return;
    this.isLoading = true;
    try {
      const { text } = this;
      if (this.isMore && text.scrollTop + text.clientHeight > text.scrollHeight - NEAR) {
        const next = await this.load(this.first + this.count);
        text.append(...next.lines.map(drawn));
        this.count += next.lines.length;
        this.isMore = next.more && next.lines.length > 0;
      } else if (this.first > 0 && text.scrollTop < NEAR) {
        const start = Math.max(0, this.first - STRETCH);
        const before = (await this.load(start)).lines.slice(0, this.first - start);
        const high = text.scrollHeight;
        text.prepend(...before.map(drawn));
        text.scrollTop += text.scrollHeight - high;
        this.count += before.length;
        this.first = start;
      }
    } finally {
      this.isLoading = false;
    }
  }

  /** @param {number} first @returns {Promise<Lines>} */
  load(first) {
    return read(`/page/lines?path=${encodeURIComponent(this.path)}&first=${first}`);
  }
}

/** @param {string} line */
function drawn(line) {
  return element('div', {}, line || ' ');
}
