// SPDX-License-Identifier: Apache-2.0
/// libpagepress for Python: batches of pages as NumPy arrays, results as arrays, submissions as concurrent.futures.
///
/// Arrays are not copied: rows of the caller's are read where they lie, and must not change before the result is there. The library
/// works without Python's lock, so that other threads of the program go on.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <pagepress/pagepress.hpp>

#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>

namespace py = pybind11;
using pagepress::Device;
using pagepress::Error;

namespace {

using Bytes = py::array_t<uint8_t, py::array::c_style>;
using Words = std::vector<uint32_t>;

constexpr uint32_t NEVER_DONE = PAGEPRESS_STATUS_ABORTED;

/// Whether this thread may be one of the library's, which the end of a device waits for.
thread_local bool within_finish = false;

class WithinFinish {
public:
    WithinFinish() : before_(within_finish) { within_finish = true; }
    ~WithinFinish() { within_finish = before_; }

private:
    bool before_;
};

/// One array for each result, as long as the batch.
struct Result {
    Bytes data;  // a row for each page
    py::array_t<uint32_t> lengths, statuses, crcs, cycles;
    py::array_t<uint64_t> details;
    py::array_t<bool> by_software;
};

/// A batch on its way: what the library reads and writes, and who waits for it.
struct Batch {
    Bytes source, destination;
    std::vector<pagepress_page> pages;
    py::object device, future;  // of a submission: neither ends before it

    Result result() const {
        auto count = static_cast<py::ssize_t>(pages.size());
        Result result{destination, py::array_t<uint32_t>(count), py::array_t<uint32_t>(count), py::array_t<uint32_t>(count),
                      py::array_t<uint32_t>(count), py::array_t<uint64_t>(count), py::array_t<bool>(count)};
        for (py::ssize_t i = 0; i < count; i++) {
            const pagepress_page& page = pages[static_cast<size_t>(i)];
            result.lengths.mutable_at(i) = page.status == PAGEPRESS_STATUS_SUCCESS ? page.produced_length : 0;
            result.statuses.mutable_at(i) = page.status;
            result.crcs.mutable_at(i) = page.crc32c;
            result.cycles.mutable_at(i) = page.engine_cycles;
            result.details.mutable_at(i) = page.detail;
            result.by_software.mutable_at(i) = page.by_software != 0;
        }
        return result;
    }
};

class Cards {
public:
    Cards(const std::optional<std::string>& xclbin, const std::optional<std::string>& device, uint32_t kernels, double timeout, bool software) {
        pagepress_options options = pagepress::default_options();
        if (!(timeout > 0 && timeout < 4e6)) throw py::value_error("timeout: seconds, above 0 and below 4 million");
        options.xclbin = xclbin ? xclbin->c_str() : nullptr;
        options.device = device ? device->c_str() : nullptr;
        options.kernels = kernels;
        options.timeout_ms = std::max(1u, static_cast<uint32_t>(timeout * 1000));  // 0 is the library's usual time
        options.forbid_software = software ? 0 : 1;
        py::gil_scoped_release others_go_on;
        device_ = std::make_unique<Device>(options);
    }

    /// Waits for what was submitted, whose ends need Python's lock; not in a thread of the library's, which would wait for itself.
    ~Cards() {
        if (within_finish) {
            close_elsewhere();
        } else {
            py::gil_scoped_release others_go_on;
            device_.reset();
        }
    }

    Result compress(const Bytes& pages, uint32_t flags) { return run(compression(pages, flags)); }
    Result decompress(const Bytes& streams, const py::object& lengths, const py::object& crcs) {
        return run(decompression(streams, lengths, crcs));
    }
    static py::object submit_compress(const py::object& self, const Bytes& pages, uint32_t flags) {
        return submit(self, self.cast<Cards&>().compression(pages, flags));
    }
    static py::object submit_decompress(const py::object& self, const Bytes& streams, const py::object& lengths, const py::object& crcs) {
        return submit(self, self.cast<Cards&>().decompression(streams, lengths, crcs));
    }

    pagepress_information information() const { return device_->information(); }

private:
    void close_elsewhere() {
        Device* device = device_.release();
        try {
            std::thread([device] { delete device; }).detach();
        } catch (const std::system_error&) {
            // No thread is to be had: the device stays open.
        }
    }

    uint32_t page_bytes() const { return information().page_bytes; }

    static void check_rows(const py::array& array, const char* name, py::ssize_t least, py::ssize_t most) {
        if (array.ndim() != 2 || array.shape(1) < least || array.shape(1) > most)
            throw py::value_error(std::string(name) + ": not an array of rows of " + std::to_string(least) +
                                  (least == most ? "" : " to " + std::to_string(most)) + " bytes");
    }

    /// One number for each row, of any kind of array or list; what would have to be rounded or cut is refused.
    static Words numbers(const py::object& given, const char* name, py::ssize_t count) {
        py::array array = py::array::ensure(given);
        if (!array || (array.size() && array.dtype().kind() != 'i' && array.dtype().kind() != 'u'))
            throw py::type_error(std::string(name) + ": not whole numbers");
        if (array.ndim() != 1 || array.shape(0) != count)
            throw py::value_error(std::string(name) + ": not one number for each of the " + std::to_string(count) + " rows");
        py::array_t<int64_t, py::array::c_style | py::array::forcecast> wide(array);
        Words words;
        for (py::ssize_t i = 0; i < count; i++) {
            if (wide.at(i) < 0 || wide.at(i) > UINT32_MAX)
                throw py::value_error(std::string(name) + ": that of row " + std::to_string(i) + " is no number of 32 bits");
            words.push_back(static_cast<uint32_t>(wide.at(i)));
        }
        return words;
    }

    /// What both directions share: `length` says how long each source is.
    template <typename Length>
    std::unique_ptr<Batch> batch(const Bytes& source, uint32_t opcode, uint32_t flags, Length length) const {
        auto batch = std::make_unique<Batch>();
        py::ssize_t count = source.shape(0), capacity = page_bytes();
        batch->source = source;
        batch->destination = Bytes({count, capacity});
        batch->pages.resize(static_cast<size_t>(count));
        for (py::ssize_t i = 0; i < count; i++) {
            pagepress_page& page = batch->pages[static_cast<size_t>(i)];
            page = {};
            page.opcode = opcode;
            page.flags = flags;
            page.source = source.data(i, 0);
            page.destination = batch->destination.mutable_data(i, 0);
            page.source_length = length(i);
            page.destination_capacity = static_cast<uint32_t>(capacity);
            page.status = NEVER_DONE;
        }
        return batch;
    }

    std::unique_ptr<Batch> compression(const Bytes& pages, uint32_t flags) const {
        uint32_t bytes = page_bytes();
        check_rows(pages, "pages", bytes, bytes);
        return batch(pages, PAGEPRESS_OPCODE_COMPRESS, flags, [=](py::ssize_t) { return bytes; });
    }

    std::unique_ptr<Batch> decompression(const Bytes& streams, const py::object& given_lengths, const py::object& given_crcs) const {
        check_rows(streams, "streams", 1, 2 * static_cast<py::ssize_t>(page_bytes()));
        py::ssize_t count = streams.shape(0);
        Words lengths = numbers(given_lengths, "lengths", count), crcs;
        if (!given_crcs.is_none()) crcs = numbers(given_crcs, "crcs", count);
        for (size_t i = 0; i < lengths.size(); i++)
            if (lengths[i] > static_cast<uint64_t>(streams.shape(1)))
                throw py::value_error("lengths: that of row " + std::to_string(i) + " is beyond its end");
        auto made = batch(streams, PAGEPRESS_OPCODE_DECOMPRESS, given_crcs.is_none() ? 0 : PAGEPRESS_FLAG_CHECK_CRC,
                          [&](py::ssize_t i) { return lengths[static_cast<size_t>(i)]; });
        for (size_t i = 0; i < crcs.size(); i++) made->pages[i].expected_crc32c = crcs[i];
        return made;
    }

    Result run(std::unique_ptr<Batch> batch) {
        {
            py::gil_scoped_release others_go_on;
            device_->run(batch->pages.data(), batch->pages.size());
        }
        return batch->result();
    }

    static py::object submit(const py::object& self, std::unique_ptr<Batch> batch) {
        batch->device = self;
        batch->future = py::module_::import("concurrent.futures").attr("Future")();
        batch->future.attr("set_running_or_notify_cancel")();  // what the library has cannot be taken back
        py::object future = batch->future;
        pagepress_device* device = self.cast<Cards&>().device_->handle();
        Batch* handed_over = batch.release();
        pagepress_error error;
        {
            py::gil_scoped_release others_go_on;
            error = pagepress_submit(device, handed_over->pages.data(), handed_over->pages.size(), &finish, handed_over);
        }
        if (error != PAGEPRESS_OK) {
            delete handed_over;
            pagepress::check(error);
        }
        return future;
    }

    /// From a thread of the library.
    static void finish(void* context, pagepress_error error) {
        const char* message = pagepress_message();  // this thread's, until the library has another one for it
        // The device may lose its last reference with the batch, with what the future calls, or with what Python keeps of this thread.
        WithinFinish until_python_has_left;
        py::gil_scoped_acquire lock;
        std::unique_ptr<Batch> batch(static_cast<Batch*>(context));
        try {
            end(*batch, error, message);
        } catch (py::error_already_set& trouble) {
            trouble.discard_as_unraisable("pagepress: the end of a submission");
        } catch (const std::exception&) {
            PyErr_Clear();  // not even memory to say so
        }
    }

    /// Ends the future: with the results, with the library's error, or with what kept either from being made.
    static void end(const Batch& batch, pagepress_error error, const char* message) {
        try {
            if (error == PAGEPRESS_OK) batch.future.attr("set_result")(batch.result());
            else batch.future.attr("set_exception")(py::module_::import("pagepress").attr("Error")(message));
        } catch (py::error_already_set& trouble) {
            if (batch.future.attr("done")().cast<bool>()) throw;  // the trouble is with what it called
            batch.future.attr("set_exception")(trouble.value());
        } catch (const std::exception&) {  // pybind11's and C++'s own, where memory ends
            PyErr_Clear();
            batch.future.attr("set_exception")(py::handle(PyExc_MemoryError)());
        }
    }

    std::unique_ptr<Device> device_;
};

}  // namespace

PYBIND11_MODULE(pagepress, module) {
    module.doc() = "Memory pages to LZO1X streams and back, on Pagepress kernels of an accelerator card, in software where there is none.";
    py::register_exception<Error>(module, "Error", PyExc_RuntimeError);
    py::dict statuses;
#define STATUS(name, number, kind) statuses[#name] = static_cast<uint32_t>(number);
    PAGEPRESS_STATUSES(STATUS)
#undef STATUS
    module.attr("STATUSES") = statuses;
    module.attr("FLAG_CHECK_CRC") = static_cast<uint32_t>(PAGEPRESS_FLAG_CHECK_CRC);
    module.attr("__version__") = pagepress_version();
    module.def("crc32c", [](const py::array_t<uint8_t, py::array::c_style>& data) { return pagepress_crc32c(data.data(), static_cast<size_t>(data.size())); },
               py::arg("data").noconvert(), "CRC32C of an array of bytes.");

    py::class_<Result>(module, "Result", "What came of a batch: an array with an entry a page.")
        .def_readonly("data", &Result::data, "Rows of a page's size: streams or pages; only the first `lengths` bytes of a row mean something.")
        .def_readonly("lengths", &Result::lengths, "Bytes; 0 where the status is not SUCCESS.")
        .def_readonly("statuses", &Result::statuses, "Values of STATUSES.")
        .def_readonly("crcs", &Result::crcs, "CRC32C of the plain page.")
        .def_readonly("details", &Result::details, "SAME_FILLED: the 8 bytes the page repeats; SUCCESS of a compression: CRC32C of the stream.")
        .def_readonly("cycles", &Result::cycles, "Core clock cycles from dispatch to result; 0 in software.")
        .def_readonly("by_software", &Result::by_software);

    auto streams = py::arg("streams").noconvert();
    auto pages = py::arg("pages").noconvert();
    py::class_<Cards>(module, "Device", "Cards, or software. Any number of threads may use it at once.")
        .def(py::init<const std::optional<std::string>&, const std::optional<std::string>&, uint32_t, double, bool>(), py::kw_only(),
             py::arg("xclbin") = py::none(), py::arg("device") = py::none(), py::arg("kernels") = 0, py::arg("timeout") = 120.0,
             py::arg("software") = true,
             "xclbin: file with the kernels, None for software alone. device: XRT's index or bus address. kernels: how many of them, or threads in "
             "software. timeout: seconds that a card may go without ending a command. software: do what the card fails to do.")
        .def("compress", &Cards::compress, pages, py::arg("flags") = 0, "Rows of a page each, uint8.")
        .def("decompress", &Cards::decompress, streams, py::arg("lengths"), py::arg("crcs") = py::none(),
             "Rows of up to two pages, uint8, of which the first `lengths` bytes are the stream; `crcs`: CRC32C that the plain pages must have.")
        .def("submit_compress", &Cards::submit_compress, pages, py::arg("flags") = 0, "The same, a concurrent.futures.Future at once.")
        .def("submit_decompress", &Cards::submit_decompress, streams, py::arg("lengths"), py::arg("crcs") = py::none())
        .def_property_readonly("information", [](const Cards& cards) {
            pagepress_information all = cards.information();
            return py::dict(py::arg("page_bytes") = all.page_bytes, py::arg("kernels") = all.kernels, py::arg("clock_kilohertz") = all.clock_kilohertz,
                            py::arg("lost") = all.lost, py::arg("card_pages") = all.card_pages, py::arg("software_pages") = all.software_pages,
                            py::arg("mismatches") = all.mismatches, py::arg("failures") = all.failures, py::arg("cycles") = all.cycles,
                            py::arg("name") = std::string(all.name));
        });
}
